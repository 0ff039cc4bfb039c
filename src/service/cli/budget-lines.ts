import { commandText, plainText } from '../../ground/model/sentence.ts'
import { countOf } from '../../ground/text/count-text.ts'
import { tableLines } from '../../ground/text/table-lines.ts'
import type { Line } from '../../ground/text/terminal/style.ts'
import type { BudgetStatus } from '../decide/budget/budget-status.ts'
import { BUDGET_CONFIG_MAP } from '../model/budget-object.ts'

/** For people: which nodes are out, the slots, and the command that releases a slot that was left behind. */
export const budgetLines = (status: BudgetStatus, namespace: string): readonly Line[] => [
  [headline(status)],
  [moreText(status)],
  [NOT_ASKED],
  ...unreadLines(status),
  ...outLines(status),
  ...mayBeOutLines(status),
  ...slotLines(status, namespace),
  ...leftLines(status),
]

function headline({ out, maxOut, nodes, says, unread }: BudgetStatus): string {
  const isHidden = unread.some(isBudget)
  const none = isHidden
    ? 'this identity is not allowed to read evenkeel-budget'
    : 'there is no ConfigMap evenkeel-budget'
  const by = says === undefined ? none : `evenkeel-budget says ${says}`
  const are = out.length === 1 ? 'is' : 'are'
  return `${countOf(out.length, 'node')} of ${nodes} ${are} out or about to be, and at most ${maxOut} may be: ${by}`
}

function moreText({ more, mayBeOut }: BudgetStatus): string {
  const { length } = mayBeOut
  const unsure =
    length === 0 ? '' : `, if ${countOf(length, 'node')} that may be out ${length === 1 ? 'is' : 'are'} counted as well`
  return more === 0 ? `the budget is used up${unsure}: no other node may leave` : `${more} more may leave${unsure}`
}

const NOT_ASKED = 'balancers and agents were not queried: a roll queries them, and may count more nodes as out'

const column = (title: string) => ({ title, align: 'left' }) as const

function outLines({ out }: BudgetStatus): readonly Line[] {
  if (out.length === 0) return []
  const rows = out.map(({ node, owner = '-', since = '-', why }) => [node, owner, since, why.join('; ')])
  return [[''], ...lines([column('NODE'), column('FOR'), column('SINCE'), column('WHY')], rows)]
}

const isBudget = (ref: string): boolean => ref.endsWith(`/${BUDGET_CONFIG_MAP}`)

const unreadLines = ({ unread }: BudgetStatus): readonly Line[] =>
  unread.map((ref) => {
    const so = isBudget(ref) ? 'the limit is taken as one node' : 'it is not known which cordons are granted'
    return [
      {
        text: `this identity is not allowed to get ConfigMap ${ref}, so ${so}: see deploy/roll-rbac.yaml`,
        tone: 'hold',
      },
    ]
  })

function mayBeOutLines({ mayBeOut }: BudgetStatus): readonly Line[] {
  if (mayBeOut.length === 0) return []
  const rows = mayBeOut.map(({ node, why }) => [node, why.join('; ')])
  return [[''], ...lines([column('MAY BE OUT'), column('WHY')], rows)]
}

function slotLines({ slots }: BudgetStatus, namespace: string): readonly Line[] {
  if (slots.length === 0) return [[''], [`no slot is held in namespace ${namespace}`]]
  const rows = slots.map(({ index, node = '-', owner, renewTime }) => [String(index), node, owner, renewTime || '-'])
  return [[''], ...lines([column('SLOT'), column('NODE'), column('HOLDER'), column('RENEWED')], rows)]
}

const lines = (...table: Parameters<typeof tableLines>): readonly Line[] => tableLines(...table).map((text) => [text])

const leftLines = ({ slots }: BudgetStatus): readonly Line[] =>
  slots.flatMap(({ index, left, doubt }): readonly Line[] => {
    if (doubt !== undefined) return [[''], [`slot ${index} may be left behind: ${plainText(doubt)}`]]
    if (left === undefined) return []
    return [
      [''],
      [{ text: `slot ${index} seems to be left behind: ${left.why}`, tone: 'hold' }],
      ['  if its holder is gone and its node is back, this releases it:'],
      [`  ${commandText(left.command)}`],
    ]
  })
