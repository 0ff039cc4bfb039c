import type { NeedReading } from '../model/need-reading.ts'
import type { NeedAnswer } from './need-answer.ts'

/** As `needs-restarting -r` of dnf decides: by packages that were installed since the machine booted. */
export function byPackages({ packages }: Pick<NeedReading, 'packages'>): NeedAnswer {
  switch (packages.kind) {
    case 'absent':
      return { kind: 'unknown', reason: '', text: 'no database of rpm is mounted' }
    case 'unknown':
      return { kind: 'unknown', reason: '', text: packages.text }
    case 'unchanged':
      return { kind: 'none', reason: '', text: 'no package was installed since the boot' }
    case 'installed': {
      const { names } = packages
      if (names.length === 0) return { kind: 'none', reason: '', text: 'no core package was installed since the boot' }
      return { kind: 'needed', reason: 'PackagesUpdated', text: `installed since the boot: ${names.join(', ')}` }
    }
  }
}
