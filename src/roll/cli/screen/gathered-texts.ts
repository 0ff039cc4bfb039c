import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { plainText, type Sentence, say } from '../../../ground/model/sentence.ts'
import { countText } from '../../../ground/text/count-text.ts'
import { withFix } from './plan-notes.ts'

/** Findings that say the same of several objects, each such text once with the names of the others behind it. */
export function gatheredTexts(findings: readonly PlanFinding[], namesMax: number): readonly Sentence[] {
  const groups: { readonly first: PlanFinding; readonly others: string[] }[] = []
  for (const finding of findings) {
    const group = groups.find(({ first }) => sameBut(first, finding) !== undefined)
    const name = group === undefined ? undefined : sameBut(group.first, finding)
    if (group === undefined || name === undefined) groups.push({ first: finding, others: [] })
    else if (name !== '') group.others.push(name)
  }
  return groups.map(({ first, others }) => {
    if (others.length === 0) return withFix(first)
    const more = others.length > namesMax ? ` and ${countText(others.length - namesMax)} more` : ''
    return say`${withFix(first)}; the same for ${others.slice(0, namesMax).join(', ')}${more}`
  })
}

/** The one word of `other` in which it differs; undefined where it says anything else. */
function sameBut(first: PlanFinding, other: PlanFinding): string | undefined {
  if (first.code !== other.code) return undefined
  const [ours, theirs] = [wordsOf(first), wordsOf(other)]
  if (ours.length !== theirs.length) return undefined
  const different = [...new Set(theirs.flatMap((word, index) => (word === ours[index] ? [] : [bare(word)])))]
  return different.length > 1 ? undefined : (different[0] ?? '')
}

const wordsOf = (finding: PlanFinding): readonly string[] => plainText(withFix(finding)).split(' ')

const bare = (word: string): string => word.replace(/^[("]+|[),;:."]+$/g, '')
