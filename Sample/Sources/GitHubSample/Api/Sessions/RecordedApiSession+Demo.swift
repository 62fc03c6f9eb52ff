import Foundation

extension RecordedApiSession {
  /// The login of the fictional owner in the demo.
  static let demoLogin = "octocat"

  /// A session with recorded responses for a fictional owner's repositories, a single repository,
  /// and a search for users.
  ///
  /// The executable contains the recordings, so you can move the executable anywhere.
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
