import type { OutputFlags } from '../../../cli/output-options.ts'
import type { InitPlace } from './init-actions.ts'

/** As commander gives them. */
export interface InitFlags extends InitPlace, Pick<OutputFlags, 'color' | 'ascii'> {
  readonly file: string
  readonly overwrite?: boolean
  readonly yes?: boolean
  readonly haproxySocket?: readonly string[]
  readonly haproxyConfig?: string
  /** False by `--no-haproxy`. */
  readonly haproxy: boolean
  readonly reboot?: string
  readonly probe?: readonly string[]
  /** `kured`, or `kured=FILE`. */
  readonly from?: string
  readonly schedule?: boolean
  readonly output: 'text' | 'json' | 'yaml'
}
