import Foundation
import Fuzzing

/// Gives the subjects what libFuzzer chooses by the code that its earlier inputs reached. A build with
/// `-sanitize=fuzzer` has it; README.md says how.
enum Guided {
    private typealias Test = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
    private typealias Driver =
        @convention(c) (
            UnsafeMutablePointer<CInt>, UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>, Test
        ) -> CInt

    /// The first byte chooses one.
    private static let subjects = Subject.all

    /// - Returns: the exit status.
    static func run() -> CInt {
        guard let symbol = dlsym(nil, "LLVMFuzzerRunDriver") else {
            print("blekeep-fuzz: this build has no libFuzzer: see Tests/Tools/Fuzz/README.md")
            return 1
        }
        // It ignores `--guided`, and starts itself again with the same words.
        var words = CommandLine.arguments.map { strdup($0) } + [nil]
        var count = CInt(words.count - 1)
        return words.withUnsafeMutableBufferPointer { words in
            var first = words.baseAddress
            return unsafeBitCast(symbol, to: Driver.self)(&count, &first) { start, count in
                Guided.feed(UnsafeBufferPointer(start: start, count: count))
                return 0
            }
        }
    }

    static func feed(_ bytes: some Collection<UInt8>) {
        guard let first = bytes.first else { return }
        let subject = subjects[Int(first) % subjects.count]
        var dice = Dice(Array(bytes.dropFirst())[...])
        if let problem = subject.feed(&dice) { fatalError("\(subject.name): \(problem)") }
    }
}
