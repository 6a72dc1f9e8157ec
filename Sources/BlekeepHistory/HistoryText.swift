internal import GRDB

internal import struct Foundation.Data

/// Text and bytes as database values, without loss.
///
/// GRDB cuts text at its first NUL, and binds an empty blob as NULL. So text with a NUL becomes a blob of its UTF-8, and
/// an empty array of bytes becomes empty text.
enum HistoryText {
    static func encode(_ text: String?) -> DatabaseValue {
        guard let text else { return .null }
        return text.utf8.contains(0) ? Data(text.utf8).databaseValue : text.databaseValue
    }

    static func decode(_ value: DatabaseValue) -> String? {
        switch value.storage {
        case .string(let text): text
        case .blob(let data): String(decoding: data, as: UTF8.self)
        case .null, .int64, .double: nil
        }
    }

    static func encode(bytes: [UInt8]?) -> DatabaseValue {
        guard let bytes else { return .null }
        return bytes.isEmpty ? "".databaseValue : Data(bytes).databaseValue
    }

    static func decode(bytes value: DatabaseValue) -> [UInt8]? {
        switch value.storage {
        case .blob(let data): Array(data)
        case .string(let text): Array(text.utf8)
        case .null, .int64, .double: nil
        }
    }
}
