import BlekeepHistory
import BlekeepOutputs

/// A file that pages use, from the program itself.
enum Asset: String, CaseIterable {
    case style = "/style.css"
    case script = "/blekeep.js"
    case plots = "/plots.js"
    case taste = "/taste.js"
    case worker = "/worker.js"
    case icon = "/icon.svg"
    case smallIcon = "/icon-192.png"
    case largeIcon = "/icon-512.png"
    case maskableIcon = "/icon-maskable.png"
    case manifest = "/blekeep.webmanifest"

    var type: String {
        switch self {
        case .style: "text/css; charset=utf-8"
        case .script, .plots, .taste, .worker: "text/javascript; charset=utf-8"
        case .icon: "image/svg+xml"
        case .smallIcon, .largeIcon, .maskableIcon: "image/png"
        case .manifest: "application/manifest+json"
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .smallIcon: Icon.small
        case .largeIcon: Icon.large
        case .maskableIcon: Icon.maskable
        case .manifest: Array(Manifest.text.utf8)
        default: source
        }
    }

    /// What an asset is made of. The manifest has the version of all others.
    private var source: [UInt8] {
        switch self {
        case .style: PackageResources.style_css
        case .script: PackageResources.blekeep_js
        case .plots: PackageResources.plots_js
        case .taste: PackageResources.taste_js
        case .worker: PackageResources.worker_js
        case .icon, .smallIcon, .largeIcon, .maskableIcon: Array(Icon.text.utf8)
        case .manifest: []
        }
    }

    /// The path with the version, so that a browser keeps the file until a new version of blekeep comes.
    var path: String { "\(rawValue)?v=\(Self.version)" }

    /// Changes with each change of a file.
    static let version: String = {
        // FNV-1a
        let sum = allCases.flatMap(\.source).reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return String(sum, radix: 36)
    }()
}

/// What lets a browser install the pages as an app.
enum Manifest {
    static let text = """
        {"id":"/","name":"blekeep","short_name":"blekeep","description":"Bluetooth sensors and their readings","start_url":"/",
        "scope":"/","display":"standalone","background_color":"#0f1215","theme_color":"#17324d","icons":[
        {"src":"\(Asset.icon.path)","sizes":"any","type":"image/svg+xml"},
        {"src":"\(Asset.smallIcon.path)","sizes":"192x192","type":"image/png"},
        {"src":"\(Asset.largeIcon.path)","sizes":"512x512","type":"image/png"},
        {"src":"\(Asset.maskableIcon.path)","sizes":"512x512","type":"image/png","purpose":"maskable"}]}

        """
}

/// The icon in the browser's tab and on a phone's screen: a line on a square of 32 units.
enum Icon {
    private static let line: [(x: Double, y: Double)] = [(5, 19), (11, 19), (14, 10), (18, 23), (21, 16), (27, 16)]
    private static let thickness = 2.5
    private static let corner = 7.0
    private static let size = 32.0
    private static let ground: [UInt8] = [0x17, 0x32, 0x4D]
    private static let ink: [UInt8] = [0x7F, 0xD1, 0xAE]

    static let text = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
        <rect width="32" height="32" rx="7" fill="#17324d"/>
        <polyline points="\(line.map { "\(SVGMarks.number($0.x)),\(SVGMarks.number($0.y))" }.joined(separator: " "))" \
        fill="none" stroke="#7fd1ae" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/>
        </svg>

        """

    // MARK: As a PNG, which phones want

    static let small = png(192)
    static let large = png(512)
    /// A phone cuts a shape of its own out of it: the line is within the middle, and the ground fills all.
    static let maskable = png(512, isMaskable: true)

    /// The palette: the ground that becomes the line, and the ground that becomes clear.
    private static let steps = 16

    private static func png(_ width: Int, isMaskable: Bool = false) -> [UInt8] {
        let scale = size / Double(width)
        var rows: [UInt8] = []
        rows.reserveCapacity(width * (width + 1))
        for row in 0..<width {
            // No filter.
            rows.append(0)
            for column in 0..<width {
                let point = (x: (Double(column) + 0.5) * scale, y: (Double(row) + 0.5) * scale)
                rows.append(color(at: point, sharpness: 1 / scale, isMaskable: isMaskable))
            }
        }
        var palette: [UInt8] = []
        var alpha: [UInt8] = []
        for step in 0..<2 * steps {
            let share = step < steps ? Double(step) / Double(steps - 1) : 0
            palette += zip(ground, ink).map { UInt8(Double($0) + (Double($1) - Double($0)) * share) }
            alpha.append(step < steps ? 255 : UInt8(255 * (2 * steps - 1 - step) / steps))
        }
        let dimension = number(UInt32(width))
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", of: dimension + dimension + [8, 3, 0, 0, 0]) + chunk("PLTE", of: palette)
            + chunk("tRNS", of: alpha)
            + chunk("IDAT", of: compressed(rows)) + chunk("IEND", of: [])
    }

    private static func color(at point: (x: Double, y: Double), sharpness: Double, isMaskable: Bool) -> UInt8 {
        let middle = size / 2
        let zoom = isMaskable ? 0.72 : 1
        let shown = (x: middle + (point.x - middle) / zoom, y: middle + (point.y - middle) / zoom)
        let distance = zip(line, line.dropFirst()).map { self.distance(of: shown, from: $0, to: $1) }.min() ?? 0
        let inked = level((thickness / 2 - distance) * zoom * sharpness + 0.5)
        guard inked == 0, !isMaskable else { return inked }
        func beyond(_ place: Double) -> Double { max(0, abs(place - middle) - (middle - corner)) }
        let outside = (beyond(point.x) * beyond(point.x) + beyond(point.y) * beyond(point.y)).squareRoot() - corner
        let clear = level(outside * sharpness + 0.5)
        return clear == 0 ? 0 : UInt8(steps) + clear
    }

    private static func level(_ share: Double) -> UInt8 { UInt8((max(0, min(1, share)) * Double(steps - 1)).rounded()) }

    private static func distance(
        of point: (x: Double, y: Double), from start: (x: Double, y: Double), to end: (x: Double, y: Double)
    ) -> Double {
        let (width, height) = (end.x - start.x, end.y - start.y)
        let along = ((point.x - start.x) * width + (point.y - start.y) * height) / (width * width + height * height)
        let share = max(0, min(1, along))
        let (x, y) = (point.x - start.x - share * width, point.y - start.y - share * height)
        return (x * x + y * y).squareRoot()
    }

    /// A zlib stream: what is between the head and the sum of a gzip file, with a head and a sum of its own.
    private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
        guard let file = Gzip.compress(bytes), file.count > 18 else { return [] }
        var (low, high) = (UInt32(1), UInt32(0))
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return [0x78, 0x9C] + file.dropFirst(10).dropLast(8) + number(high << 16 | low)
    }

    private static func chunk(_ name: String, of content: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + content
        let sum = body.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return number(UInt32(content.count)) + body + number(~sum)
    }

    private static func number(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
