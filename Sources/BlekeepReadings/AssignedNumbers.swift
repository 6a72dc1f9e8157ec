/// The official names of what the Bluetooth SIG has numbered, both ways.
///
/// A look-up by number is a binary search, one by name reads the whole table: a fifth of a millisecond.
public enum AssignedNumbers {
    /// Such as `Environmental Sensing`.
    public static func serviceName(_ service: BluetoothUUID) -> String? {
        ServiceTable.table[service].map { String($0[1]) }
    }

    /// Such as `Battery Level`.
    public static func characteristicName(_ characteristic: BluetoothUUID) -> String? {
        CharacteristicTable.table[characteristic].map { String($0[1]) }
    }

    /// Such as `Characteristic Presentation Format`.
    public static func descriptorName(_ descriptor: BluetoothUUID) -> String? {
        DescriptorTable.table[descriptor].map { String($0[1]) }
    }

    /// Such as `pressure (pascal)`.
    public static func unitName(_ unit: BluetoothUUID) -> String? {
        UnitTable.table[unit].map { String($0[1]) }
    }

    /// Such as `Pa`; `nil` for a plain number, and for a unit that is not assigned.
    public static func unitSymbol(_ unit: BluetoothUUID) -> String? {
        UnitTable.table[unit].map { String($0[2]) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Such as `Ruuvi Innovations Ltd.`; the company that `manufacturerData` is of.
    public static func companyName(_ company: UInt16) -> String? {
        CompanyTable.table[company].map { String($0.rest) }
    }

    /// Such as `Heart Rate Belt`; that of the category where the exact number has none.
    public static func appearanceName(_ appearance: UInt16) -> String? {
        let row = AppearanceTable.table[appearance] ?? AppearanceTable.table[appearance & ~0x3F]
        return row.map { String($0.rest) }
    }

    /// By official name; only letters and digits count: `Battery Level`, `battery-level` and `battery_level` are one.
    public static func characteristic(named name: String) -> BluetoothUUID? {
        number(named: name, in: CharacteristicTable.table)
    }

    /// By official name; only letters and digits count, and a last word `service` does not.
    public static func service(named name: String) -> BluetoothUUID? {
        let ending = "service"
        return number(named: name, in: ServiceTable.table)
            ?? (name.lowercased().hasSuffix(ending)
                ? number(named: String(name.dropLast(ending.count)), in: ServiceTable.table) : nil)
    }

    /// The official name that was probably meant, for "did you mean"; `nil` when none is near.
    public static func closestCharacteristic(to name: String) -> String? {
        let wanted = name.lettersAndDigits
        var limit = min(3, max(1, wanted.count / 4))
        var closest: String?
        for row in CharacteristicTable.table.rows {
            let candidate = row[1].lettersAndDigits
            guard abs(candidate.count - wanted.count) <= limit else { continue }
            let distance = wanted.editDistance(to: candidate)
            guard distance < limit || distance == limit && closest == nil else { continue }
            limit = distance
            closest = String(row[1])
        }
        return closest
    }

    private static func number(named name: String, in table: TextTable) -> BluetoothUUID? {
        let wanted = name.lettersAndDigits
        guard !wanted.isEmpty else { return nil }
        return table.rows.first { $0[1].lettersAndDigits == wanted }?.number.map { BluetoothUUID($0) }
    }
}

extension StringProtocol {
    /// What of a name counts in comparisons: ASCII letters, all in lower case, and digits.
    fileprivate var lettersAndDigits: [UInt8] {
        utf8.compactMap { octet in
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): octet
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): octet | 0x20
            default: nil
            }
        }
    }
}

extension [UInt8] {
    /// How many letters to insert, leave out, replace or swap with their neighbour to get from one to the other.
    fileprivate func editDistance(to other: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = [Int](0...other.count)
        for (row, letter) in enumerated() {
            var current = [row + 1]
            for (column, target) in other.enumerated() {
                let replaced = last[column] + (letter == target ? 0 : 1)
                var best = Swift.min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == other[column - 1], self[row - 1] == target {
                    best = Swift.min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[other.count]
    }
}
