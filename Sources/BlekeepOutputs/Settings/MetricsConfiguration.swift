/// Where blekeep writes metrics for Prometheus.
package struct MetricsConfiguration: Sendable, Hashable {
    /// The folder that node_exporter reads.
    package var folder: String
    /// The file's name in the folder, without its extension.
    package var name = "blekeep"

    package init(folder: String) { self.folder = folder }

    package var path: String { "\(folder)/\(name).prom" }
}
