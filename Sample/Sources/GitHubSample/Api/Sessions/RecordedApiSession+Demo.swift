import Foundation

extension RecordedApiSession {
  /// The owner whose repositories the demo lists.
  static let demoLogin = "octocat"

  /// Three pages of an invented owner's repositories, one of them by itself, and a few users.
  ///
  /// They are part of the program's code, so that they are there wherever it is moved to.
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
