/** A flag of a query: what the API server takes for true. */
export const isTrue = (text: string | null): boolean => text === 'true' || text === '1'
