import TelemetryModels
import Testing
