import type { ProbeTarget } from '../../../src/ground/model/probe.ts'
import { addressOf, NODE_PORT } from '../plane/a-plane.ts'

/** A hundred requests a second, half of them over eight kept connections. */
export const TARGET: ProbeTarget = {
  name: 'whoami',
  url: `http://${addressOf('n1')}:${NODE_PORT}/`,
  control: false,
  ratePerSecond: 100,
  keptShare: 0.5,
  keptConnections: 8,
  timeoutMs: 2_000,
  expectStatus: [200, 299],
  expectBody: 'served by',
  servedByHeader: 'x-served-by',
}
