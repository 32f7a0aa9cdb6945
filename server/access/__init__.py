"""Who may do what here: the decision, the list of people, the token of the home network, the address for a phone."""
