import FluxCapacitorTestSupport
import Foundation
import GitHubSample
import Testing

struct CommandArgumentsTests {
  private static func list(_ changes: (inout ListOptions) -> Void...) -> Command {
    var options = ListOptions()
    for change in changes { change(&options) }
    return .list(options)
  }

  private static func search(_ changes: (inout SearchOptions) -> Void...) -> Command {
    var options = SearchOptions()
    for change in changes { change(&options) }
    return .search(options)
  }

  private static func show(_ changes: (inout ShowOptions) -> Void...) -> Command {
    var options = ShowOptions()
    for change in changes { change(&options) }
    return .show(options)
  }

  @Test(
    arguments: [
      ([], list()),
      (["mona"], list { $0.query.login = "mona" }),
      (["-L", "5"], list { $0.limit = 5 }),
      (["-L5"], list { $0.limit = 5 }),
      (["-L=5"], list { $0.limit = 5 }),
      (["--limit=250"], list { $0.limit = 250 }),
      (["--limit", "1", "--limit", "2"], list { $0.limit = 2 }),
      (["--all"], list { $0.limit = nil }),
      (["--cached"], list({ $0.isCached = true }, { $0.limit = nil })),
      (
        ["mona", "--cached", "-L", "5"],
        list({ $0.query.login = "mona" }, { $0.isCached = true }, { $0.limit = 5 })
      ),
      (
        ["--sort", "name", "--order=desc"],
        list({ $0.query.order = .name }, { $0.query.direction = .descending })
      ),
      (["--visibility", "internal"], list { $0.query.visibility = .internal }),
      (["--source"], list { $0.query.isFork = false }),
      (["--fork", "--archived"], list({ $0.query.isFork = true }, { $0.query.isArchived = true })),
      (["--no-archived"], list { $0.query.isArchived = false }),
      (["-l", "Swift"], list { $0.query.language = "Swift" }),
      (["--json", "url, id"], list { $0.common.jsonFields = ["url", "id"] }),
      (
        ["--json", "--all"],
        list({ $0.limit = nil }, { $0.common.jsonFields = RepositoryFormat.fields.map(\.name) })
      ),
      (["--hostname", "ghe.example"], list { $0.common.connection.hostname = "ghe.example" }),
      (["--timeout", "2.5"], list { $0.common.connection.timeout = .seconds(2.5) }),
      (["--color", "never"], list { $0.common.color = .never }),
      (["--token", " t0ken\n"], list { $0.common.connection.token = AccessToken("t0ken") }),
      (["--token-stdin"], list { $0.common.readsToken = true }),
      (["--demo"], list({ $0.query.login = "octocat" }, { $0.common.connection.isDemo = true })),
      (["--", "search"], list { $0.query.login = "search" }),
      (["list"], list { $0.query.login = "list" }),
      (["--", "--all"], list { $0.query.login = "--all" }),
      (["mona", "search"], nil),
      (["search", "mona", "lisa", "-L", "3"], search({ $0.text = "mona lisa" }, { $0.limit = 3 })),
      (
        ["search", "--json", "login", "--", "-x"],
        search({ $0.text = "-x" }, { $0.common.jsonFields = ["login"] })
      ),
      (["show", "mona/lisa"], show({ $0.owner = "mona" }, { $0.name = "lisa" })),
      (["-h"], .help(.list)),
      (["search", "--help"], .help(.search)),
      (["show", "--help"], .help(.show)),
      (["mona", "--version"], .version),
    ] as [([String], Command?)]
  )
  func commandLineArgumentsAreParsedIntoACommand(arguments: [String], command: Command?) {
    #expect((try? Command(arguments: arguments)) == command)
  }

  @Test(
    arguments: [
      ([""], "LOGIN is empty"),
      (["mona", "lisa"], "unexpected argument after LOGIN"),
      (["-L"], "--limit needs N"),
      (["--limit", "0"], "--limit needs a number from 1 to 2147483647, not '0'"),
      (["--limit", "-3"], "--limit needs a number from 1 to 2147483647, not '-3'"),
      (["--limit="], "--limit needs a number from 1 to 2147483647, not ''"),
      (["--limit", "3", "--all"], "--limit and --all cannot be used together"),
      (["--all=yes"], "--all takes no value"),
      (["--cached", "-l", "C"], "--cached and --language cannot be used together"),
      (["--cached", "--demo", "--sort=name"], "--cached and --sort cannot be used together"),
      (["--demo", "--cached"], "--cached and --demo cannot be used together"),
      (["--source", "--fork"], "--fork and --source cannot be used together"),
      (["--archived", "--no-archived"], "--archived and --no-archived cannot be used together"),
      (
        ["--sort", "size"],
        "--sort must be one of stars, pushed, updated, created, name, not 'size'"
      ),
      (["--order", "up"], "--order must be one of asc, desc, not 'up'"),
      (
        ["--visibility", "secret"],
        "--visibility must be one of public, private, internal, not 'secret'"
      ),
      (["--color", "red"], "--color must be one of auto, always, never, not 'red'"),
      (["--timeout", "0"], "--timeout needs SECONDS from 0.001 to 86400, not '0'"),
      (["--timeout", "nan"], "--timeout needs SECONDS from 0.001 to 86400, not 'nan'"),
      (["--hostname", ""], "the value of --hostname is empty"),
      (["--token", "two words"], "the value of --token is empty or contains an invalid character"),
      (["--token=a", "--token-stdin"], "--token and --token-stdin cannot be used together"),
      (["--log", "a", "--explore", "./a"], "--log and --explore name the same file"),
      (["--explore=a", "--explore-live"], "--explore and --explore-live cannot be used together"),
      (
        ["search", "x", "--json", "id"],
        "--json has no field 'id'; the fields are isOrganization, login, name"
      ),
      (
        ["search", "x", "--json="],
        "--json has no field ''; the fields are isOrganization, login, name"
      ),
      (["search"], "search needs a QUERY"),
      (["search", " "], "search needs a QUERY"),
      (["--language", ""], "the value of --language is empty"),
      (["show"], "show needs an OWNER/NAME"),
      (["show", "mona"], "show needs an OWNER/NAME, not 'mona'"),
      (["show", "mona/"], "show needs an OWNER/NAME, not 'mona/'"),
      (["show", "a/b/c"], "show needs an OWNER/NAME, not 'a/b/c'"),
      (
        ["show", "a/b", "--fast"],
        """
        unknown option --fast; the options are --json, --hostname, --timeout, --color, --token, \
        --token-stdin, --demo, --log, --explore, --explore-live, --help, --version
        """
      ),
      (["show", "a/b", "-xyz"], nil),
      (
        ["show", "a/b", "--tokenghp_0123456789"],
        """
        unknown option --token…; the options are --json, --hostname, --timeout, --color, --token, \
        --token-stdin, --demo, --log, --explore, --explore-live, --help, --version
        """
      ),
    ] as [([String], String?)]
  )
  func usageErrorNamesTheMistakeInInvalidArguments(arguments: [String], message: String?) {
    let error = #expect(throws: UsageError.self) { try Command(arguments: arguments) }

    if let message { #expect(error?.message == message) }
  }

  @Test func logAndPageCannotBeTheFileOfOneLink() throws {
    let folder = try TemporaryFolder()
    let (file, link) = (folder.file("file"), folder.file("link"))
    try Data().write(to: file)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)

    let error = #expect(throws: UsageError.self) {
      try Command(arguments: ["--log", file.path, "--explore", link.path])
    }

    #expect(error?.message == "--log and --explore name the same file")
  }
}
