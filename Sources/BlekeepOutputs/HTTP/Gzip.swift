internal import CZlib

/// Compression with zlib.
package enum Gzip {
    /// Compresses bytes. Returns `nil` without memory for it.
    package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        guard blekeep_gzip_begin(&stream) == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        let bound = Int(deflateBound(&stream, UInt(bytes.count)))
        var bytes = bytes
        return bytes.withUnsafeMutableBufferPointer { input in
            var result = Z_STREAM_ERROR
            let output = [UInt8](unsafeUninitializedCapacity: bound) { output, count in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                result = deflate(&stream, Z_FINISH)
                count = output.count - Int(stream.avail_out)
            }
            return result == Z_STREAM_END ? output : nil
        }
    }
}
