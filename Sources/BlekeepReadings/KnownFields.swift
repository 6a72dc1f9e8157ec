/// The names of the fields that blekeep can decode, with their units, to check what users write.
package enum KnownFields {
    /// The fields of assigned characteristics, and the value of one that describes itself.
    package static let assigned: [String: Set<String>] = {
        var all: [String: Set<String>] = ["value": []]
        for row in CharacteristicTable.table.rows {
            for field in Field.list(notation: row[2]) ?? [] where !field.name.isEmpty {
                all[field.name, default: []].insert(field.unit ?? "")
            }
        }
        return all
    }()

    /// The units of fields in advertisements, as far as their notations have them.
    private static let advertised: [String: Set<String>] = {
        var all: [String: Set<String>] = [:]
        for format in BroadcastFormat.allCases {
            for (name, units) in AdvertisedFieldNames.of(format).units { all[name, default: []].formUnion(units) }
        }
        for value in DerivedValue.allCases { all[value.rawValue, default: []].insert(value.unit) }
        return all
    }()

    /// Returns the units that a field of this name has in any format; empty when unknown. The empty unit is that of a plain
    /// number.
    package static func units(of field: String) -> Set<String> {
        var units = (assigned[field] ?? []).union(advertised[field] ?? [])
        if field == "battery" { units.formUnion(assigned["battery_level"] ?? []) }
        return units
    }
}

extension Recipe {
    /// The fields of all answers that blekeep publishes, with their units.
    package var fieldUnits: [String: Set<String>] { allSteps.flatMap { $0.answer?.fields ?? [] }.units }
}

extension [RecipeField] {
    /// The fields that blekeep publishes, with their units.
    package var units: [String: Set<String>] {
        reduce(into: [:]) { all, field in
            if case .group(let inner) = field.content {
                all.merge(inner.units) { $0.union($1) }
            } else if !field.isHidden {
                all[field.field.name, default: []].insert(field.field.unit ?? "")
            }
        }
    }
}
