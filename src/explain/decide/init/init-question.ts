/** Something that cannot be read. `preset` is the answer of Enter, and of `--yes`. */
export interface Question {
  readonly id: string
  /** What the answer decides, in a few words. */
  readonly about: string
  /** In one line, why it is asked. */
  readonly why: string
  readonly ask: string
  readonly preset: string
  /** Why an answer is not valid; absent: every text is. */
  readonly faultOf?: (answer: string) => string | undefined
}

/** By the id of the question. */
export type Answers = ReadonlyMap<string, string>

export const answerTo = ({ id, preset }: Pick<Question, 'id' | 'preset'>, answers: Answers): string =>
  answers.get(id) ?? preset

const YES = /^y(es)?$/i

export const isYes = (answer: string): boolean => YES.test(answer)

export const yesOrNo = (answer: string): string | undefined =>
  /^(y|yes|n|no)$/i.test(answer) ? undefined : 'answer y or n'

export const oneOf =
  (choices: readonly string[]) =>
  (answer: string): string | undefined =>
    choices.includes(answer) ? undefined : `answer one of: ${choices.join(', ')}`
