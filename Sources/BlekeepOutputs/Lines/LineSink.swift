import BlekeepRecords
import RunLoop

/// Writes readings as lines, a batch with one write where the system takes it whole.
package final class LineSink: Sink {
    package let delivery = SinkDelivery.liveOnly
    private let output: OutputWriter
    /// What writes the lines. A new configuration may replace it by one of the same format.
    package var writer: any LineWriter
    private var headerIsDue: Bool
    package private(set) var isClosed = false

    /// - Parameter header: whether the format's header goes before the first reading.
    package init(to output: OutputWriter, writer: any LineWriter, header: Bool = true) {
        self.output = output
        self.writer = writer
        headerIsDue = header
    }

    /// Writes one line for each reading that the format doesn't hide.
    /// Throws `SinkClosed` when the reader has closed the output, `SinkFailure` for other failures.
    package func send(_ readings: [LiveReading], isLive: Bool, key: Int?) throws {
        var bytes: [UInt8] = []
        if headerIsDue, let header = writer.header {
            bytes.append(text: header)
            bytes.append(UInt8(ascii: "\n"))
        }
        for reading in readings where !writer.hides(reading.reading) {
            writer.append(reading, to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
        }
        do throws(OutputWriter.Failure) { try output.write(bytes) } catch {
            let failure = SinkFailure.error(error)
            isClosed = failure is SinkClosed
            // The cause, such as a full disk, may pass.
            if !isClosed { output.forgetFailure() }
            throw failure
        }
        headerIsDue = false
    }

    package var missed: MissedLines? {
        output.droppedLines == 0 ? nil : MissedLines(count: output.droppedLines, isStalled: output.isStalled)
    }
}
