// The core uses only declarations that have the same signatures in Musl and Glibc.
@_exported import Glibc
