import type { NeedReading } from '../model/need-reading.ts'
import { compareVersions, kernelName } from './kernel-version.ts'
import type { NeedAnswer } from './need-answer.ts'

/** By the kernels that are installed: one of the same flavour that is newer than the one that runs. */
export function byKernel({ kernel, kernels }: Pick<NeedReading, 'kernel' | 'kernels'>): NeedAnswer {
  if (kernels.kind === 'unknown') return unknown(`the kernels cannot be listed: ${kernels.text}`)
  const running = kernelName(kernel)
  if (running.version === '') return unknown(`the name of the kernel that runs, ${kernel}, has no version`)
  const same = kernels.names.filter((name) => kernelName(name).flavour === running.flavour)
  if (same.length === 0) return unknown(`no kernel of the flavour of ${kernel} is installed`)
  const newest = same.reduce((best, name) => (isNewer(name, best) ? name : best))
  if (isNewer(newest, kernel)) {
    return { kind: 'needed', reason: 'NewerKernel', text: `kernel ${newest} is installed, and ${kernel} runs` }
  }
  return { kind: 'none', reason: '', text: `kernel ${kernel} is the newest` }
}

const isNewer = (one: string, other: string): boolean =>
  compareVersions(kernelName(one).version, kernelName(other).version) > 0

const unknown = (text: string): NeedAnswer => ({ kind: 'unknown', reason: '', text })
