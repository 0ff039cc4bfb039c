/** The name of a run: a directory in the state directory, and a word of the commands that people paste. */
export const isRunName = (text: string): boolean => /^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$/.test(text)
