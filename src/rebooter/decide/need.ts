import { escapeForeign } from '../../ground/model/foreign-text.ts'
import type { NeedReading } from '../model/need-reading.ts'
import { type NeedSource, type NeedSources, RPM_FAMILIES, SENTINELS } from '../model/need-sources.ts'
import { bySentinel, byUserFile } from './by-file.ts'
import { byKernel } from './by-kernel.ts'
import { byPackages } from './by-packages.ts'
import type { NeedAnswer } from './need-answer.ts'

/** What the condition RebootRequired of the Node is to say. */
export interface Need {
  readonly status: 'True' | 'False' | 'Unknown'
  /** PascalCase. */
  readonly reason: string
  readonly message: string
}

const MESSAGE_MAX = 800

/** One source that says yes is enough. Where one that is asked cannot say, the others' no is not believed. */
export function needOf(reading: NeedReading, sources: NeedSources): Need {
  const answers = [...answersOf(reading, sources), ...sources.files.map((path) => byUserFile(path, reading))]
  const needed = answers.filter(({ kind }) => kind === 'needed')
  const [first] = needed
  if (first !== undefined) return { status: 'True', reason: first.reason, message: textOf(needed) }
  const unknown = answers.filter(({ kind }) => kind === 'unknown')
  if (unknown.length > 0) return { status: 'Unknown', reason: 'CannotTell', message: textOf(unknown) }
  if (answers.length === 0) return { status: 'Unknown', reason: 'NoSource', message: noSource(reading) }
  return { status: 'False', reason: 'NothingPending', message: textOf(answers) }
}

const textOf = (answers: readonly NeedAnswer[]): string =>
  escapeForeign(answers.map(({ text }) => text).join('; '), MESSAGE_MAX)

function noSource({ families }: NeedReading): string {
  if (families === undefined) return '/etc/os-release cannot be read: mount it, or name the sources with --need'
  const id = families[0] === undefined ? 'without an ID' : `with the ID ${families[0]}`
  return escapeForeign(`no source knows a system ${id}: name a file with --need-file, or the sources with --need`)
}

const BY: Readonly<Record<NeedSource, (reading: NeedReading) => NeedAnswer>> = {
  debian: (reading) => bySentinel('debian', reading),
  suse: (reading) => bySentinel('suse', reading),
  ostree: (reading) => bySentinel('ostree', reading),
  rpm: byPackages,
  kernel: byKernel,
}

/**
 * Of `auto`, each source may say yes; only those that the system stands for may also say no. A system of images has its new kernel
 * and its new packages where they cannot be seen, so that only the deployment that waits counts there.
 */
function answersOf(reading: NeedReading, { of }: NeedSources): readonly NeedAnswer[] {
  if (of !== 'auto') return of.map((source) => BY[source](reading))
  const trusted = trustedOf(reading)
  const all = (Object.keys(BY) as NeedSource[]).map((source) => ({ source, answer: BY[source](reading) }))
  return all.flatMap(({ source, answer }) => (answer.kind === 'needed' || trusted.includes(source) ? [answer] : []))
}

function trustedOf({ families = [], files }: NeedReading): readonly NeedSource[] {
  if (files.get(SENTINELS.ostree.mark ?? '')?.kind === 'there') return ['ostree']
  const isOf = (names: readonly string[]): boolean => names.some((name) => families.includes(name))
  if (isOf(SENTINELS.debian.families)) return ['debian', 'kernel']
  if (isOf(SENTINELS.suse.families)) return ['suse', 'kernel']
  return isOf(RPM_FAMILIES) ? ['rpm', 'kernel'] : []
}
