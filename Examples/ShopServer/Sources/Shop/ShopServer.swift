public import Hummingbird
import Logging
import Metrics
import Tracing

/// The shop's web server.
public enum ShopServer {
    /// Sets up tracing and metrics of the process, and makes the server. Set logging up before.
    /// - Parameters:
    ///   - middleware: Handles each request before the shop does.
    ///   - onStart: Called with the address once the server accepts requests.
    public static func make(
        port: Int, middleware: (any MiddlewareProtocol<Request, Response, BasicRequestContext>)? = nil,
        onStart: @escaping @Sendable (_ address: String) -> Void
    ) -> some ApplicationProtocol {
        let measurements = Measurements()
        MetricsSystem.bootstrap(measurements)
        InstrumentationSystem.bootstrap(TraceparentInstrument())
        return Application(
            router: router(measurements, middleware), configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in onStart("http://127.0.0.1:\(channel.localAddress?.port ?? port)") },
            logger: Logger(label: "shop-server"))
    }

    private static func router(
        _ measurements: Measurements, _ middleware: (any MiddlewareProtocol<Request, Response, BasicRequestContext>)?
    ) -> Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: MetricsMiddleware())
        router.add(middleware: TraceContextMiddleware())
        if let middleware { router.add(middleware: middleware) }
        let catalogue = Catalogue()
        let checkout = Checkout(catalogue: catalogue)
        router.get("products") { _, _ in catalogue.list() }
        router.get("products/:id") { _, context in try catalogue.product(context.parameters.require("id", as: Int.self)) }
        router.post("orders") { request, context in
            try checkout.place(await request.decode(as: OrderRequest.self, context: context))
        }
        router.get("metrics") { _, _ in measurements.text }
        return router
    }
}
