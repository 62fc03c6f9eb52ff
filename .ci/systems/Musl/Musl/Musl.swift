// Its signatures are those of Glibc, as far as the core uses them.
@_exported import Glibc
