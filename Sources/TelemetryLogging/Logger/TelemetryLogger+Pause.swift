extension TelemetryLogger: TelemetryPausing {
    package func setPaused(_ isPaused: Bool) async {
        await inTurn {
            guard isPaused != self.isPaused else { return }
            self.isPaused = isPaused
            guard phase == .on else { return }
            if isPaused {
                reportSuppressed()
                close()
                await stopPump(isFinishing: false)
            } else {
                run()
            }
        }
    }
}
