/// The formats in which commands write users.
package enum UserFormat {
  package static let list = ListFormat<GitHub.User>(
    columns: { _ in
      [
        .init("LOGIN", style: .bold, leastWidth: 20) { $0.login.sanitized },
        .init("KIND") { kind(of: $0) },
        .init("NAME", leastWidth: 8) { $0.name?.sanitized ?? "" },
      ]
    },
    values: { user in
      [user.login.sanitized, kind(of: user), user.name?.sanitized ?? ""]
    },
    fields: fields
  )

  package static let fields: [JSONField<GitHub.User>] = [
    JSONField("isOrganization") { .bool($0.isOrganization) },
    JSONField("login") { .string($0.login) },
    JSONField("name") { .string($0.name) },
  ]

  @Sendable
  private static func kind(of user: GitHub.User) -> String {
    user.isOrganization ? "organization" : "user"
  }
}
