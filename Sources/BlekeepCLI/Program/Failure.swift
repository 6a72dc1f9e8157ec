import Blekeep
import BlekeepLog
import BlekeepOutputs
import RunLoop

/// The failure of a command: a sentence for users, and an exit code for scripts.
struct Failure: Error, CustomStringConvertible {
    enum Code: Int32, CaseIterable {
        case someFailed = 1
        case usage = 2
        case noBluez = 3
        case noAdapter = 4
        case notFound = 5
        /// No connection, or nothing was read or written.
        case allFailed = 6
        case pairing = 7
        case alreadyRunning = 75
        case badConfiguration = 78
        case timedOut = 124
    }

    let code: Code
    let message: String
    var description: String { message }

    /// What the sentence about an unknown device says about the known ones.
    static let deviceList = "'blekeep status' lists all"

    init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    /// - Parameter device: the command's device; `nil` when there is none, or when the command itself pairs it.
    init(_ error: BluetoothError, _ device: BluetoothAddress? = nil) {
        let code: Code =
            switch error.code {
            case .noBluez: .noBluez
            case .noAdapter, .adapterOff: .noAdapter
            case .notFound: .notFound
            case .link, .characteristic, .unsupported, .timedOut: .allFailed
            case .pairing: .pairing
            }
        let sentence = Untrusted(device.map { error.sentence(about: $0) } ?? error.description, limit: 1000)
        self =
            [.noBluez, .noAdapter].contains(code)
            ? .withoutBluetooth(code, sentence: "\(sentence)") : Failure(code, "\(sentence)")
    }

    /// Bluetooth isn't there: the sentence, and what a user can do.
    static func withoutBluetooth(_ code: Code, sentence: String) -> Failure {
        Failure(code, "\(sentence); try 'blekeep doctor', or 'blekeep poll --simulate'")
    }

    /// Creates the failure of a command that takes too long.
    ///
    /// - Parameter work: what it did last, such as `connecting to greenhouse`; `nil` when that says nothing about the time.
    init(after limit: Duration, while work: String?) {
        let time = DurationText.text(limit)
        self.init(
            .timedOut, work.map { "stopped after \(time), while \($0)" } ?? "the command took longer than \(time)")
    }

    /// The message with a prefix on each line, except on the indented ones, which continue a line.
    var text: String {
        message.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            // A sentence about blekeep itself has its name already.
            if line.hasPrefix(" ") || line.isEmpty { return String(line) }
            return line.hasPrefix("blekeep ") ? "blekeep: \(line.dropFirst(8))" : "blekeep: \(line)"
        }.joined(separator: "\n")
    }

    /// Prints the message on standard error and ends the process.
    func exit() -> Never {
        try? StandardOutput.finish()
        if !message.isEmpty { StandardError.print(text) }
        StandardError.finish()
        BlockingCall.exitProcess(code.rawValue)
    }
}
