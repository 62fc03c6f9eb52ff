import Foundation

extension RecordedApiSession {
  /// The login of the invented owner in the demo.
  static let demoLogin = "octocat"

  /// A session with three pages of an invented owner's repositories, a single repository, and a
  /// few users.
  ///
  /// The recordings are part of the program's code, so you can move the program anywhere.
  package static var demo: RecordedApiSession {
    RecordedApiSession(
      recordings: [
        "repositories/octocat": Data(PackageResources.octocat_1_json),
        "repositories/octocat/page-2": Data(PackageResources.octocat_2_json),
        "repositories/octocat/page-3": Data(PackageResources.octocat_3_json),
        "repository/octocat/hello-octopus": Data(PackageResources.hello_octopus_json),
        "users": Data(PackageResources.users_json),
      ]
    )
  }
}
