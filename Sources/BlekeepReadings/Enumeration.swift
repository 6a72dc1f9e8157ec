/// The names that an assigned characteristic gives to the numbers of a field, such as `Chest` to 1.
package struct Enumeration: Sendable, Hashable {
    package struct Name: Sendable, Hashable {
        package let number: Int64
        package let name: String
    }

    /// In the order of their numbers.
    package let names: [Name]

    /// Finds the enumeration of a field; `nil` when its numbers are plain numbers.
    ///
    /// - Parameter field: the field's name in the layout, such as `body_sensor_location`.
    package init?(of characteristic: BluetoothUUID?, field: String) {
        guard let wanted = characteristic?.description else { return nil }
        for line in EnumerationTable.text.split(separator: "\n") {
            let columns = line.split(separator: "|", omittingEmptySubsequences: false)
            guard columns.count > 2, columns[1] == field else { continue }
            guard columns[0].split(separator: " ").contains(where: { $0 == wanted }) else { continue }
            names = Self.names(columns[2...])
            return
        }
        return nil
    }

    /// Returns the name of a number; `nil` when it has none.
    package func name(of number: Int64) -> String? { names.first { $0.number == number }?.name }

    private static func names(_ columns: ArraySlice<Substring>) -> [Name] {
        var names: [Name] = []
        var number: Int64 = 0
        for column in columns {
            let parts = column.split(separator: "=", maxSplits: 1)
            if parts.count == 2, let next = Int64(parts[0]) { number = next }
            if let name = parts.last { names.append(Name(number: number, name: String(name))) }
            number += 1
        }
        return names
    }
}
