"""The real game behind the Backend contract: servers, the body that plays on them, and whether they agree with sim."""
