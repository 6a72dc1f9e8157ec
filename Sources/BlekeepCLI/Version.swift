import ArgumentParser

struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the version.")

    static let text = "0.1.0"

    func run() {
        print("blekeep \(Self.text)")
    }
}
