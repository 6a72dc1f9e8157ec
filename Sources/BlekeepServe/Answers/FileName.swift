import BlekeepOutputs

/// The name of a file for a browser to save, made of text that a device may have chosen.
struct FileName {
    /// The value of the header `Content-Disposition`.
    let disposition: String

    private static let longest = 100

    init(_ text: String) {
        let kept = text.unicodeScalars.map { Self.isHarmless($0) ? $0 : "-" }
        // Dots at the beginning would hide the file.
        var name = String(String.UnicodeScalarView(kept.suffix(Self.longest)).drop { $0 == "." || $0 == "-" })
        if name.isEmpty { name = "readings" }
        let ascii = String(String.UnicodeScalarView(name.unicodeScalars.map { $0.isASCII ? $0 : "-" }))
        disposition = "attachment; filename=\"\(ascii)\"; filename*=UTF-8''\(PercentText.text(name))"
    }

    /// Letters, digits and a few marks, which mean nothing to a file system, a shell or a header.
    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil || "-_.".unicodeScalars.contains(scalar)
    }
}
