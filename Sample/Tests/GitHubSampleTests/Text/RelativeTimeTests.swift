import Foundation
import GitHubSample
import Testing

struct RelativeTimeTests {
  @Test(arguments: [
    (59, "just now"), (60, "1 minute ago"), (3_599, "59 minutes ago"), (7_200, "2 hours ago"),
    (86_400, "1 day ago"), (45 * 86_400, "1 month ago"), (800 * 86_400, "2 years ago"),
    (-100, "just now"),
  ])
  func relativeTimeIsRoundedDownToTheLargestUnit(seconds: Int, text: String) {
    let now = Date(timeIntervalSince1970: 1_700_000_000)

    #expect(RelativeTime.text(for: now.addingTimeInterval(-Double(seconds)), now: now) == text)
  }

  /// A person can edit the cache's file.
  @Test(arguments: [-1e30, -.infinity, .infinity, .nan])
  func relativeTimeOfAnImpossibleDateIsAText(seconds: Double) {
    let date = Date(timeIntervalSinceReferenceDate: seconds)

    let text = RelativeTime.text(for: date, now: .now)

    #expect(text == (seconds < 0 ? "1000000000 years ago" : "just now"))
  }
}
