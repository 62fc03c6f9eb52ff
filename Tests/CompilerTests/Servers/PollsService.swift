// `.ci/service` builds this file with the package Hummingbird, and runs the service.
#if canImport(Hummingbird)
  import FluxCapacitor
  import FluxCapacitorDebugging
  import FluxCapacitorPersistence
  import Foundation
  import Hummingbird
  import Logging
  import ServiceLifecycle

  extension Dispatcher {
    enum Voting: DispatchState {
      typealias RelatedStoreType = PollStore

      case vote(voter: String, option: String)
    }
  }

  final class PollStore: Persistable {
    /// The votes by their voters.
    typealias Saved = [String: String]

    static let archive = Archive(Saved.self, named: "polls", version: 1)

    var votes: Constant<[String: String]> { _votes.constant }
    private let _votes = Variable<[String: String]>([:])

    func reduce(with state: Dispatcher.Voting) {
      switch state {
      case .vote(let voter, let option): _votes.value[voter] = option
      }
    }

    var saved: Saved { _votes.value }

    func restore(_ saved: Saved) { _votes.value = saved }
  }

  enum VoteError: Error {
    case hasVoted
  }

  /// The session of one poll.
  final class Poll: Sendable {
    let id: String

    /// The results that survive a crash.
    let results: Constant<[String: Int]>

    private let store: PollStore
    private let voting: Invoker<Dispatcher.Voting>
    private let dispatcher: Dispatcher
    private let log: DispatchLogger

    init(_ id: String, on dispatcher: Dispatcher, keeper: Keeper, logger: Logger) throws {
      self.id = id
      self.dispatcher = dispatcher
      store = try keeper.open(PollStore.self, key: id, on: dispatcher)
      voting = Invoker(on: dispatcher)
      results = keeper.saved(PollStore.self, key: id).map { votes in
        votes.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      }
      log = DispatchLogger(dispatcher) { logger.debug("\(id): \($0)") }
    }

    /// Checks and counts a vote, while no other vote can come between. A client that has missed the answer can repeat its
    /// vote.
    func vote(_ voter: String, for option: String) throws(VoteError) {
      try dispatcher.transaction { () throws(VoteError) in
        if let former = store.votes.value[voter] {
          if former != option { throw .hasVoted }
        } else {
          voting.invoke(.vote(voter: voter, option: option))
        }
      }
    }
  }

  struct Vote: Decodable {
    let voter: String
    let option: String
  }

  /// Knows the client's address, which a client can't choose as it can choose the voter's name.
  struct PollContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let address: String

    init(source: ApplicationRequestContextSource) {
      coreContext = CoreRequestContextStorage(source: source)
      address = source.channel.remoteAddress?.ipAddress ?? ""
    }
  }

  @main struct Polls {
    static func main() async throws {
      let arguments = CommandLine.arguments.dropFirst()
      guard let folder = arguments.first, let port = arguments.last.flatMap(Int.init) else {
        fatalError("usage: Polls FOLDER PORT")
      }
      let logger = Logger(label: "polls")
      let keeper = try Keeper(directory: URL(fileURLWithPath: folder))
      let polls = Sessions<String, Poll>(idle: .seconds(5)) { id, dispatcher in
        try Poll(id, on: dispatcher, keeper: keeper, logger: logger)
      } close: { poll in
        try await keeper.close(PollStore.self, key: poll.id)
      }
      let limits = KeyedEffects<String>(.atMost(10_000, per: .seconds(1)))

      let router = Router(context: PollContext.self)
      router.post("polls/:id/votes") { request, context -> HTTPResponse.Status in
        let id = try context.parameters.require("id")
        let vote = try await request.decode(as: Vote.self, context: context)
        let status = try await limits[context.address].perform { _ -> HTTPResponse.Status in
          try await polls.with(id) { poll in
            do throws(VoteError) { try poll.vote(vote.voter, for: vote.option) } catch {
              return .conflict
            }
            // The answer promises that the vote survives, even if this vote repeats one that isn't saved yet.
            try await keeper.flush(PollStore.self, key: id)
            return .created
          }
        }
        return status ?? .tooManyRequests
      }
      router.get("polls/:id") { _, context in
        try await polls.with(context.parameters.require("id")) { $0.results.value }
      }
      router.get("polls/:id/events") { request, context in
        let id = try context.parameters.require("id")
        return Response(
          status: .ok,
          headers: [.contentType: "text/event-stream"],
          body: ResponseBody { writer in
            var writer = writer
            // When the client leaves, the use of the session ends.
            try await request.body.consumeWithCancellationOnInboundClose { _ in
              // A slow client receives the newest results, and slows down no other client.
              try await polls.with(id) { poll in
                for await results in poll.results.values.cancelOnGracefulShutdown() {
                  let json = try JSONEncoder().encode(results)
                  try await writer.write(
                    ByteBuffer(string: "data: \(String(decoding: json, as: UTF8.self))\n\n")
                  )
                }
              }
            }
            try await writer.finish(nil)
          }
        )
      }

      let app = Application(
        router: router,
        configuration: .init(address: .hostname("127.0.0.1", port: port))
      )
      var group = ServiceGroupConfiguration(
        services: [app],
        gracefulShutdownSignals: [.sigterm],
        logger: logger
      )
      // A client that doesn't read its events delays the end by at most 5 seconds.
      group.maximumGracefulShutdownDuration = .seconds(5)
      do { try await ServiceGroup(configuration: group).run() } catch { logger.error("\(error)") }
      // SIGTERM has ended the requests.
      for (id, error) in await polls.shutDown() { logger.error("\(id): \(error)") }
      do { try await keeper.close() } catch {
        logger.critical("\(error)")
        exit(1)
      }
    }
  }
#endif
