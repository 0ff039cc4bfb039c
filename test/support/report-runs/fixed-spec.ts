import type { RollSpec } from '../../../src/roll/model/roll-spec.ts'

/** A roll file as it lies in a journal; its probe's URL carries a secret. */
export const SPEC: RollSpec = {
  name: 'prod-eu1',
  nodes: { names: [], all: true, allowUnbalanced: false },
  slots: { namespace: 'evenkeel', leaseDurationMs: 120_000 },
  balancers: [
    {
      name: 'edge',
      instances: ['lb-1', 'lb-2'],
      backends: ['web'],
      allowLastServer: false,
      via: {
        kind: 'haproxy',
        instances: ['lb-1', 'lb-2'].map((name) => ({
          name,
          address: { kind: 'ssh', host: `${name}.internal`, path: '/run/haproxy/admin.sock' },
        })),
      },
    },
  ],
  detach: { idleLimitMs: 180_000 },
  drain: {
    daemonSets: [],
    deleteEmptyDirData: false,
    deleteUnmanaged: false,
    blockedLimitMs: 600_000,
    stageLimitMs: 1_800_000,
  },
  reboot: {
    kind: 'ssh',
    user: 'operator',
    configFile: '/home/operator/.ssh/config',
    command: ['systemctl', 'reboot'],
    resendAfterMs: 120_000,
    returnLimitMs: 900_000,
  },
  settle: { limitMs: 600_000, timesInARow: 3, dataPort: true },
  attach: { limitMs: 300_000 },
  soakMs: 30_000,
  probe: {
    targets: [
      {
        name: 'shop',
        url: 'https://monitor:hunter2@app.example.com/health?token=s3cret',
        control: false,
        ratePerSecond: 100,
        keptShare: 0.5,
        keptConnections: 8,
        timeoutMs: 2_000,
        expectStatus: [200, 399],
        servedByHeader: 'X-Served-By',
      },
      {
        name: 'control',
        url: 'http://10.9.0.1/',
        control: true,
        ratePerSecond: 10,
        keptShare: 0,
        keptConnections: 0,
        timeoutMs: 2_000,
        expectStatus: [200, 399],
        servedByHeader: 'X-Served-By',
      },
    ],
    baselineMs: 10_000,
    baselineLimitMs: 120_000,
  },
}
