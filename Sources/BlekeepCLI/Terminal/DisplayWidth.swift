/// The width of text on a terminal, in columns.
enum DisplayWidth {
    static func of(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.unicodeScalars.reduce(0) { $0 + width(of: $1) }
    }

    /// Returns the text cut to this width, with `…` in place of its end or its beginning.
    static func cut(_ text: String, to columns: Int, keepsEnd: Bool = false) -> String {
        guard of(text) > columns else { return text }
        guard columns > 0 else { return "" }
        var kept = String.UnicodeScalarView()
        var used = 1
        let scalars = Array(text.unicodeScalars)
        for scalar in keepsEnd ? scalars.reversed() : scalars {
            used += width(of: scalar)
            guard used <= columns else { break }
            kept.append(scalar)
        }
        return keepsEnd ? "…" + String(String.UnicodeScalarView(kept.reversed())) : String(kept) + "…"
    }

    /// Returns a sentence cut to this width between two words, with `…` in place of its end.
    static func cut(sentence: String, to columns: Int) -> String {
        guard of(sentence) > columns else { return sentence }
        let short = cut(sentence, to: columns - 1)
        // Without a space, cut inside the word.
        guard let space = short.lastIndex(of: " ") else { return cut(sentence, to: columns) }
        return short[..<space] + " …"
    }

    /// Returns a list with commas cut to this width between two items, with `…` in place of its end.
    static func cut(list: String, to columns: Int) -> String {
        guard of(list) > columns else { return list }
        var kept = ""
        for item in list.split(separator: ", ") {
            let longer = kept.isEmpty ? String(item) : "\(kept), \(item)"
            guard of(longer) + 2 <= columns else { break }
            kept = longer
        }
        return kept.isEmpty ? cut(sentence: list, to: columns) : kept + " …"
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
        0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]

    private static func width(of scalar: Unicode.Scalar) -> Int {
        guard scalar.value >= 0x300 else { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: return wide.contains { $0.contains(scalar.value) } ? 2 : 1
        }
    }
}
