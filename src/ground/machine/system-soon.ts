/** Runs it once this turn of the event loop has read what had arrived. */
export const systemSoon = (run: () => void): void => {
  setImmediate(run)
}
