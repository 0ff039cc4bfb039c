import { stringify } from 'yaml'
import type { LoopbackNet } from '../../src/sim/loopback/loopback-net.ts'
import { ownProgram } from '../process/own-program.ts'

interface RollFileValues {
  readonly socket: string
  readonly url: string
  readonly powerSocket: string
  readonly net: Pick<LoopbackNet, 'hasAliases'>
}

/** A roll.yaml for the embedded cluster. Its machines are quick, and so are its times. */
export const rollFileText = ({ socket, url, powerSocket, net }: RollFileValues): string =>
  stringify({
    apiVersion: 'evenkeel.dev/v1alpha1',
    kind: 'Roll',
    metadata: { name: 'demo' },
    spec: {
      nodes: { all: true, allowUnbalanced: true },
      balancers: [{ name: 'edge', instances: [{ name: 'lb-1', socket }], backends: ['web'] }],
      reboot: {
        command: [process.execPath, ownProgram('reboot-machine'), powerSocket, '{node}', '{bootId}'],
        resendAfter: '20s',
        returnLimit: '60s',
      },
      ...(net.hasAliases ? {} : { settle: { dataPort: false } }),
      soak: '1s',
      baseline: { duration: '1s' },
      // The judge of the demo sends the rest.
      probes: [{ name: 'whoami', url, rate: 20 }],
    },
  })
