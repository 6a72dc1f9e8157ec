import Blekeep
import BlekeepOutputs

/// Prints readings in one of the formats, with numbers from 1. On the loop.
final class ReadingPrinter: @unchecked Sendable {
    private let writer: any LineWriter
    let output: any Output
    private var count: Int64 = 0

    /// - Parameter devices: the devices that are read; their tags are printed.
    init(_ format: LineFormat, of devices: [DeviceConfiguration], in context: CommandContext) {
        let gateway = Composition.tags(context.optionalConfiguration).gateway
        writer = Composition.writer(format, tags: DeviceTags(devices, gateway: gateway))
        output = context.output
    }

    func print(_ readings: [Reading]) throws {
        var bytes: [UInt8] = []
        if count == 0, let header = writer.header { bytes += Array((header + "\n").utf8) }
        for reading in readings where !writer.hides(reading) {
            count += 1
            writer.append(StoredReading(sequence: count, reading: reading), to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
        }
        try output.write(String(decoding: bytes, as: UTF8.self))
    }
}
