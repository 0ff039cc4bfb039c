import { formatDuration } from '../../../ground/model/duration.ts'
import type { RollSpec } from '../../model/roll-spec.ts'
import { publicUrl } from './public-url.ts'

/** The settings of a run that any reader may see: no credentials, no paths, no commands. */
export interface SettingsDocument {
  readonly name: string
  readonly probes: readonly {
    readonly name: string
    readonly url: string
    readonly control: boolean
    readonly ratePerSecond: number
    readonly keptShare: number
    readonly timeoutMs: number
  }[]
  readonly balancers: readonly {
    readonly name: string
    readonly instances: readonly string[]
    readonly backends: readonly string[]
  }[]
  readonly limitsMs: Readonly<Record<LimitName, number>>
}

export type LimitName =
  | 'detach.idleLimit'
  | 'drain.blockedLimit'
  | 'drain.stageLimit'
  | 'reboot.returnLimit'
  | 'settle.limit'
  | 'attach.limit'
  | 'soak'

export function settingsDocument(spec: RollSpec): SettingsDocument {
  return {
    name: spec.name,
    probes: (spec.probe?.targets ?? []).map(({ name, url, control, ratePerSecond, keptShare, timeoutMs }) => ({
      name,
      url: publicUrl(url),
      control,
      ratePerSecond,
      keptShare,
      timeoutMs,
    })),
    balancers: spec.balancers.map(({ name, instances, backends }) => ({
      name,
      instances,
      backends,
    })),
    limitsMs: {
      'detach.idleLimit': spec.detach.idleLimitMs,
      'drain.blockedLimit': spec.drain.blockedLimitMs,
      'drain.stageLimit': spec.drain.stageLimitMs,
      'reboot.returnLimit': spec.reboot.returnLimitMs,
      'settle.limit': spec.settle.limitMs,
      'attach.limit': spec.attach.limitMs,
      soak: spec.soakMs,
    },
  }
}

/** `100/s: 50 new, 50 kept; time-out 2 s; control`. */
export function probeText({
  ratePerSecond,
  keptShare,
  timeoutMs,
  control,
}: SettingsDocument['probes'][number]): string {
  const kept = Number((ratePerSecond * keptShare).toFixed(1))
  const fresh = Number((ratePerSecond - kept).toFixed(1))
  const lanes = `${ratePerSecond}/s: ${fresh} new, ${kept} kept; time-out ${formatDuration(timeoutMs)}`
  return control ? `${lanes}; control` : lanes
}
