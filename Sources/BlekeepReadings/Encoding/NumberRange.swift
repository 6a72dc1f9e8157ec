/// The numbers that a characteristic with a single field holds, in the unit of its layout.
package struct NumberRange: Sendable, Hashable {
    package let lowest: Double
    package let highest: Double
    package let step: Double
}

extension LayoutDecoder {
    /// The only field of the layout; `nil` when there are several.
    package var onlyField: String? { fields.count == 1 ? fields.first?.name : nil }

    /// The numbers that the only field holds; `nil` when there are several fields, or when it isn't an integer in the
    /// bytes.
    package var numbers: NumberRange? {
        guard fields.count == 1, let field = fields.first, field.type.isInteger, !field.repeats else { return nil }
        let ends = [field.range.lowerBound, field.range.upperBound].map { field.scale.number($0, exponent: 0) }
        var step = field.scale
        step.offset = 0
        return NumberRange(
            lowest: min(ends[0], ends[1]), highest: max(ends[0], ends[1]), step: abs(step.number(1, exponent: 0)))
    }
}
