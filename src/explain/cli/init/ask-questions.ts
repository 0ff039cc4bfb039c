import type { CliContext } from '../../../cli/cli-context.ts'
import { escapeForeign } from '../../../ground/model/foreign-text.ts'
import { UserError } from '../../../ground/model/user-error.ts'
import { wrapWords } from '../../../ground/text/wrap-words.ts'
import { PROBE_ID, probeFault, REBOOT_ID, rebootFault } from '../../decide/init/choose-measures.ts'
import { type Answers, answerTo, type Question } from '../../decide/init/init-question.ts'
import type { RollProposal } from '../../decide/init/roll-proposal.ts'
import type { InitFlags } from './init-flags.ts'

/** One question with the answer that the file uses. */
interface Answered {
  readonly about: string
  readonly answer: string
  readonly by: 'option' | 'person' | 'default'
}

export interface Taken {
  readonly proposal: RollProposal
  readonly answers: readonly Answered[]
}

interface Asking {
  readonly given: Answers
  /** Whether there is a person to ask. */
  readonly asks: boolean
}

/** The answers in the options. Throws UserError for one that is not valid. */
export function givenAnswers({ reboot, probe }: Pick<InitFlags, 'reboot' | 'probe'>): Answers {
  const given = new Map<string, string>()
  if (reboot !== undefined) given.set(REBOOT_ID, checked('--reboot', reboot, rebootFault))
  if (probe !== undefined) given.set(PROBE_ID, checked('--probe', probe.join(' '), probeFault))
  return given
}

function checked(flag: string, text: string, faultOf: (text: string) => string | undefined): string {
  const fault = faultOf(text)
  if (fault === undefined) return text
  throw new UserError(`${flag}: ${fault}`, { code: 'usage.answer', fix: 'evenkeel init --help shows the forms' })
}

const TEXT_MAX = 2_000

/** Asks until no question is left; each answer may change the next question. Undefined where the input ended. */
export async function askAll(
  context: CliContext,
  { given, asks }: Asking,
  propose: (answers: Answers) => RollProposal,
): Promise<Taken | undefined> {
  const answers = new Map(given)
  for (;;) {
    const proposal = propose(answers)
    const open = proposal.questions.find(({ id }) => !answers.has(id))
    if (open === undefined || !asks) {
      return { proposal, answers: proposal.questions.map((question) => answered(question, { answers, given })) }
    }
    const answer = await askOne(context, open)
    if (answer === undefined) return undefined
    answers.set(open.id, answer)
  }
}

function answered(
  question: Question,
  { answers, given }: { readonly answers: Answers; readonly given: Answers },
): Answered {
  const by = given.has(question.id) ? 'option' : answers.has(question.id) ? 'person' : 'default'
  return { about: question.about, answer: answerTo(question, answers), by }
}

/** Repeats the question until the answer is valid. Enter is the default. */
export async function askOne(
  { err, interrupts, askLine }: CliContext,
  { why, ask, preset, faultOf }: Question,
): Promise<string | undefined> {
  const room = Math.min(100, err.size().columns) - 1
  const lines = wrapWords(escapeForeign(why, TEXT_MAX), room)
  err.write(`\n${lines.join('\n')}\n`)
  const shown = preset === '' ? '' : ` [${preset}]`
  const prompt = wrapWords(escapeForeign(`${ask}${shown}`, TEXT_MAX), room).join('\n')
  for (;;) {
    const line = await askLine(`${prompt} `, interrupts.signal)
    if (line === undefined) return undefined
    const answer = line.trim() === '' ? preset : line.trim()
    const fault = faultOf?.(answer)
    if (fault === undefined) return answer
    err.write(`${escapeForeign(fault, TEXT_MAX)}\n`)
  }
}
