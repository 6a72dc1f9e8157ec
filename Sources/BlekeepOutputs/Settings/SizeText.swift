import BlekeepRecords

/// Sizes as users write them: `512KiB`, `256MiB`, `1GiB`, `10MB`. A number without a unit is bytes.
package enum SizeText {
    private static let units: [(name: String, bytes: Int64)] = [
        ("TiB", 1 << 40), ("TB", 1_000_000_000_000), ("GiB", 1 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20),
        ("MB", 1_000_000), ("KiB", 1 << 10), ("kB", 1000),
    ]
    /// Other ways to write `kB` and bytes.
    private static let otherUnits: [(name: String, bytes: Int64)] = [("KB", 1000), ("B", 1), ("", 1)]

    /// Reads a whole number with or without a unit, as bytes.
    ///
    /// - Throws: `UserError`, which says how to write a size, without the text itself.
    package static func parse(_ text: some StringProtocol) throws(UserError) -> Int64 {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count)
        guard !digits.isEmpty, let factor = (units + otherUnits).first(where: { $0.name == unit })?.bytes else {
            throw UserError("write a whole number with the unit KiB, MiB, GiB, kB, MB or GB, such as 256MiB")
        }
        guard let count = Int64(digits), case let (bytes, overflow) = count.multipliedReportingOverflow(by: factor),
            !overflow
        else { throw UserError("that is too large; write less") }
        return bytes
    }

    /// Returns the shortest text that `parse` reads as the same size.
    package static func text(_ bytes: Int64) -> String {
        let texts = units.filter { bytes != 0 && bytes % $0.bytes == 0 }.map { "\(bytes / $0.bytes)\($0.name)" }
        return texts.min { $0.utf8.count < $1.utf8.count } ?? "\(bytes)"
    }
}
