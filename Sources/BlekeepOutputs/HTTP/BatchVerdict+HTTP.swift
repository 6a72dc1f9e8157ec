/// The rules that hold for each server.
extension BatchVerdict {
    /// - Parameters:
    ///   - server: its name in messages.
    ///   - rules: the server's own rules; `nil` where these rules hold.
    init(_ answer: HTTPAnswer, from server: String, rules: (_ status: Int, _ reason: String) -> BatchVerdict?) {
        let reason = ServerReason.text(in: answer.body)
        if let verdict = rules(answer.status, reason ?? "") {
            self = verdict
            return
        }
        let colon = reason.map { ": \(Untrusted($0, limit: ServerReason.limit))" } ?? ""
        func error(_ words: String) -> ServerError {
            ServerError("\(server) \(words)", pause: answer.pause.map { min($0, HTTPAnswer.maxPause) })
        }
        func kept(_ words: String) -> BatchVerdict { .kept(error(words)) }
        switch answer.status {
        case 200..<300: self = .done
        case 300..<400: self = kept("answered with another address; blekeep doesn't follow it, so set `url` to it")
        case 401: self = kept("refused the credentials\(colon)")
        case 403: self = kept("doesn't allow this\(colon)")
        case 404: self = kept("has nothing at the path of `url`\(colon)")
        case 413: self = .tooLarge
        case 429: self = kept("asks for fewer requests\(colon)")
        case 500: self = .failed(error("has a fault, status 500\(colon)"))
        case 501...: self = kept("has a fault, status \(answer.status)\(colon)")
        default: self = kept("refused the request, status \(answer.status)\(colon)")
        }
    }
}
