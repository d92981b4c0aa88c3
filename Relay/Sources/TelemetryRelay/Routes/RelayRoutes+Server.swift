import Foundation
import HTTPTypes
import Hummingbird
import TelemetryModels

extension RelayRoutes {
    func addServer(to router: Router<RelayRequestContext>, _ table: RouteTable) {
        add(.get, "/v1/server", to: router, table, roles: Self.allRoles, describeServer)
    }

    private func describeServer(_ asked: Asked) async throws -> Response {
        return .object { writer in
            writer.member("name", "telemetry-relay")
            writer.member("version", LiveTelemetryVersion.version)
            writer.member("api", 1)
            writer.member("time", WireTime.text(of: Date()) ?? "")
            writer.key("limits")
            writer.object { writer in
                writer.member("bodyBytes", limits.bodyBytes)
                writer.member("batchEvents", limits.batchEvents)
                writer.member("saveRecords", limits.saveRecords)
                writer.member("page", limits.page)
                writer.member("waitSeconds", limits.waitSeconds)
            }
            writer.member("role", asked.caller.role.rawValue)
        }
    }
}
