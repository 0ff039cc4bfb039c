import { stringify } from 'yaml'
import { WHOAMI_FRONT } from './lb-config.ts'

export interface RollFileFacts {
  readonly socket: string
  readonly sshConfig: string
  /** Merged over `spec`. */
  readonly spec?: Readonly<Record<string, unknown>>
  readonly urls?: readonly string[]
}

/** A roll.yaml for a bed: all nodes, one HAProxy, ssh, traffic at 100 requests a second. */
export function rollFile({ socket, sshConfig, spec = {}, urls = [WHOAMI_FRONT] }: RollFileFacts): string {
  return stringify({
    apiVersion: 'evenkeel.dev/v1alpha1',
    kind: 'Roll',
    metadata: { name: 'bed' },
    spec: {
      nodes: { all: true },
      balancers: [{ name: 'lb', instances: [{ name: 'lb-1', socket }], backends: ['web', 'edge'] }],
      drain: { daemonSets: ['app=edge'] },
      reboot: {
        ssh: { configFile: sshConfig, command: ['systemctl', 'reboot'] },
        resendAfter: '20s',
        returnLimit: '60s',
      },
      soak: '3s',
      baseline: { duration: '3s' },
      probes: urls.map((url, i) => ({ name: `front-${i + 1}`, url, rate: 100 / urls.length })),
      ...spec,
    },
  })
}
