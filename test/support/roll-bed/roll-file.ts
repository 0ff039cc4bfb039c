import { stringify } from 'yaml'
import { WHOAMI_FRONT } from './lb-config.ts'

export interface RollFileFacts {
  readonly socket: string
  readonly sshConfig: string
  /** Merged over `spec`. */
  readonly spec?: Readonly<Record<string, unknown>>
  readonly urls?: readonly string[]
  /** Requests a second of the roll's own traffic, all URLs together; 100 unless told otherwise. */
  readonly rate?: number
}

/** A roll.yaml for a bed: all nodes, one HAProxy, ssh, traffic. */
export function rollFile({ socket, sshConfig, spec = {}, urls = [WHOAMI_FRONT], rate = 100 }: RollFileFacts): string {
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
      probes: urls.map((url, i) => ({ name: `front-${i + 1}`, url, rate: rate / urls.length })),
      ...spec,
    },
  })
}
