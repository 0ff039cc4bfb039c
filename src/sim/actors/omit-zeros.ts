/** Numbers that the API leaves out of what it writes where they are 0 (`omitempty`). */
export const omitZeros = (numbers: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(numbers).filter(([, number]) => number !== 0))
