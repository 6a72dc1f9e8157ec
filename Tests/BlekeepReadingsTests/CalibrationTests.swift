import Testing

@testable import BlekeepReadings

@Suite struct CalibrationTests {
    private func decimal(_ digits: Int64, _ exponent: Int = 0) -> DecimalNumber {
        DecimalNumber(digits: digits, exponent: exponent)
    }

    private func corrected(
        _ value: MeasuredValue, decimals: Int? = nil, factor: (Int64, Int) = (1, 0), offset: (Int64, Int) = (0, 0)
    ) -> Measurement? {
        let calibration = Calibration(factor: decimal(factor.0, factor.1), offset: decimal(offset.0, offset.1))
        return calibration.corrected([Measurement(field: "x", value: value, decimals: decimals)]).first
    }

    @Test func addsTheOffsetAndKeepsTheDecimals() {
        let result = corrected(.number(20.53), decimals: 2, offset: (-7, -1))
        #expect(result?.value == .number(19.83))
        #expect(result?.decimals == 2)
    }

    @Test(arguments: [
        // 20.53 × 1.02 is 20.9406: the steps of 0.01 need two decimals, and one is left for the factor.
        (20.53, 2, (Int64(102), -2), (Int64(0), 0), 20.941, 3),
        (20.53, 2, (10, 0), (0, 0), 205.3, 2),
        (20.53, 2, (1, 0), (5, -4), 20.5305, 4),
        (-40.0, 1, (-1, 0), (0, 0), 40.0, 1),
    ])
    func roundsNumbers(
        value: Double, decimals: Int, factor: (Int64, Int), offset: (Int64, Int), expected: Double, shown: Int
    ) {
        let result = corrected(.number(value), decimals: decimals, factor: factor, offset: offset)
        #expect(result?.value == .number(expected))
        #expect(result?.decimals == shown)
    }

    @Test(arguments: [
        (Int64(205), (Int64(1), -1), MeasuredValue.number(20.5), Int?.some(1)),
        (3, (15, -1), .number(4.5), 1),
        (100, (254, -4), .number(2.54), 3),
        (7, (3, 0), .integer(21), nil),
    ])
    func aWholeNumberGetsTheDecimalsThatItNeeds(
        value: Int64, factor: (Int64, Int), expected: MeasuredValue, decimals: Int?
    ) {
        let result = corrected(.integer(value), factor: factor)
        #expect(result?.value == expected)
        #expect(result?.decimals == decimals)
    }

    @Test func aNumberWithUnknownStepsKeepsTwelveDigits() {
        #expect(corrected(.number(38.1), factor: (102, -2), offset: (1, -1))?.value == .number(38.962))
        #expect(corrected(.number(1e300), factor: (1, 30))?.value == .number(1e300))
        #expect(corrected(.number(0))?.value == .number(0))
    }

    @Test func textAndStatesStay() {
        #expect(corrected(.text("1"), offset: (5, 0))?.value == .text("1"))
        #expect(corrected(.boolean(true), offset: (5, 0))?.value == .boolean(true))
        let unknown = Measurement(field: "x", value: nil, state: "unknown", unit: "°C")
        #expect(Calibration(offset: decimal(1)).corrected([unknown]) == [unknown])
    }

    @Test func amongSeveralFieldsThoseWithAUnitChange() {
        let fields = [
            Measurement(field: "flags", value: .integer(6)),
            Measurement(field: "rate", value: .integer(80), unit: "bpm"),
            Measurement(field: "intervals", value: .list([.integer(1), .integer(2)]), unit: "s"),
        ]
        let values = Calibration(offset: decimal(1)).corrected(fields).map(\.value)
        #expect(values == [.integer(6), .integer(81), .list([.integer(2), .integer(3)])])
    }

    @Test func bytesAreDecodedAndThenCorrected() throws {
        var form = ValueForm(of: BluetoothUUID(0x2A6E), layout: LayoutDecoder(BluetoothUUID(0x2A6E)))
        form.calibration = Calibration(offset: decimal(-5, -1))
        #expect(try form.decode([0x4E, 0x09]).first?.value == .number(23.32))
    }
}
