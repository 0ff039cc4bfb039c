import { shellWord } from '../model/posix-quote.ts'

/** A flag with its value as words of a command that can be pasted; none where there is no value. */
export const flagText = (flag: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [flag, shellWord(value)]
