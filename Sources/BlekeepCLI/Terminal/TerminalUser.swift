import Blekeep
import BlekeepLog
import BlekeepOutputs
import Glibc
import RunLoop

/// The user at the terminal, who reads and answers the questions of a pairing.
final class TerminalUser: @unchecked Sendable {
    private let loop: RunLoop
    private let canAnswer: Bool
    private let input: Int32
    private let write: @Sendable (String) -> Void

    init(
        on loop: RunLoop, canAnswer: Bool, input: Int32 = STDIN_FILENO,
        write: @escaping @Sendable (String) -> Void = { StandardError.print($0) }
    ) {
        self.loop = loop
        self.canAnswer = canAnswer
        self.input = input
        self.write = write
    }

    var user: PairingUser {
        let show: @Sendable (PairingRequest) -> Void = { self.write(Self.sentence($0)) }
        guard canAnswer else { return PairingUser(show: show) }
        return PairingUser(show: show) { await self.ask($0) }
    }

    /// Asks a question. Anything unclear is a no.
    func agrees(to question: String) async -> Bool {
        guard canAnswer else { return false }
        write("\(question) [yes/no]")
        return await line().map { Self.isYes($0) } ?? false
    }

    /// Asks for a line; `nil` at the end of the input.
    func reply(to question: String) async -> String? {
        guard canAnswer else { return nil }
        write(question)
        return await line()?.trimmingPrefix(while: \.isWhitespace).description
    }

    /// Asks for a text; `nil` at the end of the input.
    func answer(to question: String) async -> String? {
        if isatty(input) == 1 { write(question) }
        return await line()?.trimmingPrefix(while: \.isWhitespace).split(whereSeparator: \.isWhitespace).first.map(
            String.init)
    }

    private static func isYes(_ line: String) -> Bool {
        ["y", "yes"].contains(line.filter { !$0.isWhitespace }.lowercased())
    }

    private func ask(_ request: PairingRequest) async -> PairingAnswer {
        write(Self.sentence(request))
        guard let line = await line() else { return .reject }
        return Self.answer(line, to: request)
    }

    static func sentence(_ request: PairingRequest) -> String {
        switch request {
        case .enterPasskey: "Type the six digits that the device shows, then Enter:"
        case .enterPinCode: "Type the device's PIN code, then Enter:"
        case .confirm(let number): "Does the device show \(PasskeyText(number))? [yes/no]"
        case .authorize: "Pair without comparing anything? [yes/no]"
        case .authorizeService(let uuid): "May the device use the service \(Untrusted(uuid))? [yes/no]"
        case .showPinCode(let code): "Type \(Untrusted(code)) on the device, then its Enter."
        case .showPasskey(let number, let typed):
            typed == 0 ? "Type \(PasskeyText(number)) on the device." : "\(min(typed, 6)) of 6 digits typed"
        }
    }

    /// Returns the answer that a line gives. Anything unclear is a no. A mistyped passkey is a code, which doesn't fit.
    static func answer(_ line: String, to request: PairingRequest) -> PairingAnswer {
        let text = line.filter { !$0.isWhitespace }
        switch request {
        case .enterPasskey:
            guard text.utf8.count <= 6, text.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt32(text)
            else { return .pinCode(text) }
            return .passkey(number)
        case .enterPinCode: return text.isEmpty ? .reject : .pinCode(text)
        default: return isYes(line) ? .accept : .reject
        }
    }

    /// As long as a path may be.
    private static let maxLine = 4096

    /// Returns the next line; `nil` at the end of the input, or when the device withdraws the question.
    private func line() async -> String? {
        let gate = Gate(loop)
        let loop = loop
        var bytes: [UInt8] = []
        return await withTaskCancellationHandler {
            let watch = loop.watch(input, for: Int16(POLLIN)) { _ in gate.open() }
            defer { loop.unwatch(watch) }
            while bytes.count < Self.maxLine {
                await gate.wait()
                guard !Task.isCancelled else { return nil }
                var buffer = [UInt8](repeating: 0, count: 64)
                let count = read(input, &buffer, buffer.count)
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                // A pipe's last line may have no end.
                guard count > 0 else {
                    return count == 0 && !bytes.isEmpty ? String(decoding: bytes, as: UTF8.self) : nil
                }
                bytes += buffer.prefix(count)
                if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                    return String(decoding: bytes[..<end], as: UTF8.self)
                }
            }
            return nil
        } onCancel: {
            loop.perform { gate.open() }
        }
    }
}
