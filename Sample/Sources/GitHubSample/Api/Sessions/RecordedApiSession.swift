import Foundation

/// A session that decodes recorded responses like responses from the network.
package struct RecordedApiSession: ApiSession {
  package let place = "The demo"

  private let recordings: [String: Data]

  /// - Parameter recordings: The bodies of the recorded responses. The keys are the requests'
  ///   ``ApiRequest/recordingKey``.
  package init(recordings: [String: Data]) {
    self.recordings = recordings
  }

  package func send<Request: ApiRequest>(
    _ request: Request
  ) async throws(ApiError) -> Request.Response {
    do throws(ApiError.Reason) {
      guard let body = recordings[request.recordingKey] else { throw request.reasonIfNotFound }
      return try request.decode(HTTPResponse(status: 200, body: body))
    } catch {
      throw ApiError(error, at: place)
    }
  }
}
