/// `blekeep-decode KIND`: decodes each line of JSON on standard input, for programs that compare decoders.
@main enum Decode {
    static func main() throws {
        guard let kind = CommandLine.arguments.dropFirst().first.flatMap(DecodeBatch.init(rawValue:)) else {
            throw Usage()
        }
        kind.run()
    }

    private struct Usage: Error, CustomStringConvertible {
        var description: String { "name the kind of the lines: gatt, adverts or cpf" }
    }
}
