import { shellWord } from './posix-quote.ts'

/** A command to paste. Where it is printed its words are quoted, and the options of that place are added. */
export interface Command {
  readonly program: 'evenkeel' | 'kubectl'
  readonly words: readonly string[]
}

/** Words for people, and commands among them. */
interface Said {
  readonly pieces: readonly (string | Command)[]
}

export type Sentence = string | Command | Said

/** A value is one word or a part of one; a list is as many words. */
type Value = string | number | readonly string[]

const written =
  (program: Command['program']) =>
  (texts: TemplateStringsArray, ...values: readonly Value[]): Command => {
    const words = ['']
    const add = ([first = '', ...more]: readonly string[]): void => {
      words.push(`${words.pop() ?? ''}${first}`, ...more)
    }
    texts.forEach((text, at) => {
      const value = values[at] ?? ''
      add(text.split(' '))
      add(typeof value === 'object' ? value : [`${value}`])
    })
    return { program, words: words.filter((word) => word !== '') }
  }

/** ``evenkeel`roll resume ${run}` ``. */
export const evenkeel = written('evenkeel')

/** ``kubectl`describe node ${name}` ``. */
export const kubectl = written('kubectl')

/** ``say`repair it, then: ${evenkeel`roll resume`}` ``. */
export const say = (texts: TemplateStringsArray, ...values: readonly (Sentence | number)[]): Sentence => ({
  pieces: texts
    .flatMap((text, at) => [text, ...piecesOf(values[at] ?? '')])
    .filter((piece) => typeof piece !== 'string' || piece !== ''),
})

export function piecesOf(sentence: Sentence | number): readonly (string | Command)[] {
  if (typeof sentence === 'number') return [String(sentence)]
  return typeof sentence === 'object' && 'pieces' in sentence ? sentence.pieces : [sentence]
}

export const isCommand = (sentence: Sentence): sentence is Command =>
  typeof sentence === 'object' && 'program' in sentence

export const commandText = ({ program, words }: Command): string => [program, ...words.map(shellWord)].join(' ')

export const plainText = (sentence: Sentence): string =>
  piecesOf(sentence)
    .map((piece) => (typeof piece === 'string' ? piece : commandText(piece)))
    .join('')

/** Each once, by its text. */
export const distinct = (sentences: readonly Sentence[]): readonly Sentence[] => [
  ...new Map(sentences.map((one) => [plainText(one), one])).values(),
]

export const isSentence = (value: unknown): value is Exclude<Sentence, string> =>
  typeof value === 'object' && value !== null && ('pieces' in value || ('program' in value && 'words' in value))

/** For `JSON.stringify`: each sentence as text. */
export const plainly = (_key: string, value: unknown): unknown => (isSentence(value) ? plainText(value) : value)
