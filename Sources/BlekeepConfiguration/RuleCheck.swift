import BlekeepOutputs
import BlekeepRecords

/// Compares rules with the devices and the fields that they are about.
struct RuleCheck {
    private let configuration: PollConfiguration
    private let notices: [NoticeConfiguration]
    /// The fields of the user's layouts, with their units.
    private let layouts: [String: Set<String>]

    init(_ configuration: Configuration) {
        self.configuration = configuration.poll
        notices = configuration.notices
        layouts = configuration.poll.layouts.reduce(into: [:]) { all, layout in
            all.merge(layout.fields.units) { $0.union($1) }
        }
    }

    func problems(at rules: [Located], notices: [Located]) -> [(ConfigurationLocation, String)] {
        var problems: [(ConfigurationLocation, String)] = []
        var names: [String: ConfigurationLocation] = [:]
        var pairs = 0
        for (rule, at) in zip(configuration.rules, rules) {
            let place = at.keys["when"]?.value ?? at.value
            if let first = names[rule.name] {
                problems.append(
                    (at.keys["name"]?.value ?? at.value, "the rule `\(rule.name)` is set already at \(first); keep one")
                )
                continue
            }
            names[rule.name] = at.keys["name"]?.value ?? at.value
            if names.count == Rule.maxRules + 1 {
                problems.append((at.value, "there are at most \(Rule.maxRules) rules; remove this one"))
            }
            let members = rule.when.subject.members(of: configuration.devices)
            let before = pairs
            pairs += members.count
            if before <= Rule.maxPairs, pairs > Rule.maxPairs {
                problems.append((place, "rules have at most \(Rule.maxPairs) devices in all; choose fewer here"))
            }
            if let message = noMember(rule, members) ?? noField(rule, of: members) ?? noUnit(rule) {
                problems.append((place, message))
            } else if let end = rule.until, let message = misfit(end, of: rule) {
                problems.append((at.keys["until"]?.value ?? at.value, message))
            }
        }
        for (notice, at) in zip(self.notices, notices) {
            for name in notice.rules where names[name] == nil {
                let meant = Spelling.closest(to: name, among: names.keys.sorted())
                problems.append(
                    (
                        at.keys["rules"]?.value ?? at.value,
                        "no rule is called \(Quoted.text(name))\(meant.map { "; did you mean `\($0)`?" } ?? "")"
                    ))
            }
        }
        return problems
    }

    // MARK: Devices

    private func noMember(_ rule: Rule, _ members: [DeviceConfiguration]) -> String? {
        guard members.isEmpty else { return nil }
        switch rule.when.subject {
        case .all: return nil
        case .tag(let tag): return DeviceGroup("tag:\(tag)")?.emptyMessage(configuration.devices.flatMap(\.tags))
        case .device(let name):
            let meant = Spelling.closest(to: name, among: configuration.devices.compactMap(\.alias))
            return "no device is called \(Quoted.text(name))\(meant.map { "; did you mean `\($0)`?" } ?? "")"
        }
    }

    // MARK: Fields

    private func noField(_ rule: Rule, of members: [DeviceConfiguration]) -> String? {
        guard let field = rule.when.field else { return nil }
        let name = field.split(separator: "#").first.map(String.init) ?? field
        if members.isEmpty || members.contains(where: { has($0, name) }) { return nil }
        let all = allNames
        let meant = Spelling.closest(to: name, among: all.sorted()).map { "; did you mean `\($0)`?" } ?? ""
        guard all.contains(name) || BroadcastFormat.allCases.contains(where: { $0.hasField(name) }) else {
            return "no value is called \(Quoted.text(name))\(meant)"
        }
        if DerivedValue(rawValue: name) != nil {
            return "no device of this rule has `\(name)`; add `derive: [\(name)]` to a passive device"
        }
        let first = members.first.map { "\(Quoted.text($0.name))" } ?? ""
        return members.count == 1 ? "\(first) has no `\(name)`" : "none of the \(members.count) devices has `\(name)`"
    }

    private var allNames: Set<String> {
        var names = Set(BroadcastFormat.allCases.flatMap { AdvertisedFieldNames.of($0).names })
        names.formUnion(KnownFields.assigned.keys)
        names.formUnion(layouts.keys)
        for recipe in configuration.recipes { names.formUnion(recipe.fieldUnits.keys) }
        names.formUnion(DerivedValue.allCases.map(\.rawValue))
        return names.filter { !$0.contains("#") }
    }

    /// Whether a device may have a field.
    private func has(_ device: DeviceConfiguration, _ field: String) -> Bool {
        guard device.mode == .passive else {
            if let recipe = configuration.recipes.first(where: { $0.name == device.recipe }) {
                if recipe.fieldUnits.keys.contains(where: { isLike(field, $0) }) { return true }
                // Nothing else is read then.
                if device.characteristics.isEmpty { return false }
            }
            if KnownFields.assigned[field] != nil || layouts[field] != nil { return true }
            return field == "battery" && KnownFields.assigned["battery_level"] != nil
        }
        if device.derived.contains(where: { $0.rawValue == field }) { return true }
        guard device.fields.isEmpty || device.fields.contains(field) else { return false }
        let format = device.format ?? device.model.map { _ in .switchbot }
        let lists = (format.map { [$0] } ?? BroadcastFormat.allCases).map {
            AdvertisedFieldNames.of($0, model: $0 == .switchbot ? device.model : nil)
        }
        return lists.contains { $0.contains(field) }
    }

    /// Whether a name is that of a recipe's field, which may have a number in place of `#`.
    private func isLike(_ name: String, _ field: String) -> Bool {
        if name == field { return true }
        guard let mark = field.firstIndex(of: "#") else { return false }
        let (head, tail) = (field[..<mark], field[field.index(after: mark)...])
        let middle = name.dropFirst(head.count).dropLast(tail.count)
        return name.hasPrefix(head) && name.hasSuffix(tail) && !middle.isEmpty && middle.allSatisfy(\.isNumber)
    }

    // MARK: Units

    private func noUnit(_ rule: Rule) -> String? {
        guard let field = rule.when.field else { return nil }
        if rule.when.hasWord {
            let units = units(of: field)
            // A plain number may have words.
            guard let unit = units.sorted().first, !units.contains("") else { return nil }
            let shown = DisplayUnit.scale(of: unit).unit
            return "`\(field)` is a number; write `is 5` or a comparison, such as `> 5 \(shown)`"
        }
        guard let (unit, isDifference) = rule.when.number else { return nil }
        return flaw(unit, isDifference: isDifference, of: field)
    }

    /// The units that a field may have; empty for a plain number or a word.
    private func units(of field: String) -> Set<String> {
        var units = KnownFields.units(of: field).union(layouts[field] ?? [])
        for recipe in configuration.recipes { units.formUnion(recipe.fieldUnits[field] ?? []) }
        return units
    }

    private func flaw(_ unit: String?, isDifference: Bool, of field: String) -> String? {
        let units = units(of: field)
        guard !units.isEmpty else { return nil }
        let fits = units.contains { Quantity.convert(1, from: $0, to: unit ?? "", isDifference: isDifference) != nil }
        guard !fits else { return nil }
        // As users see it.
        let shown = units.filter { !$0.isEmpty }.map { DisplayUnit.scale(of: $0).unit }
        let list = Set(shown).sorted().joined(separator: " or ")
        if list.isEmpty { return "`\(field)` is a plain number; write it without `\(unit ?? "")`" }
        guard let unit else { return "say the unit of `\(field)`, such as \(list)" }
        return "`\(field)` is in \(list), and \(Quoted.text(unit)) is another unit"
    }

    /// Says why a rule can't end as the user wants.
    private func misfit(_ end: Rule.End, of rule: Rule) -> String? {
        guard case .limit(let field, let limit) = rule.when.test else {
            return "`until` is for a rule with a comparison, such as `temperature of freezer > -10 °C`; remove it"
        }
        if let flaw = flaw(end.limit.unit, isDifference: false, of: field) { return flaw }
        guard
            let number = Quantity.convert(
                end.limit.number.nearest, from: end.limit.unit ?? "", to: limit.unit ?? "", isDifference: false)
        else { return "the units of `when` and `until` differ; write the same" }
        let isUpper = limit.comparison == .above || limit.comparison == .atLeast
        let endsBelow = end.limit.comparison == .below || end.limit.comparison == .atMost
        let isFar = isUpper ? number <= limit.number.nearest : number >= limit.number.nearest
        guard isUpper == endsBelow, isFar else {
            return "`until` must not hold while `when` does; write a number \(isUpper ? "`<`" : "`>`") that of `when`"
        }
        return nil
    }
}
