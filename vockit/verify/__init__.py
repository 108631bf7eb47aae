"""Reading a VOC tree back and naming every violation of the format; opens no catalogue."""
